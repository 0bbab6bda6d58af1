"""Playing a study whose file may be changed while it is played, as that of a standing league."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from joute.engines.errors import JouteError, Refused
from joute.playing import planned, play
from joute.runs import Run
from joute.studies.load import file_of
from joute.studies.play.progress import Progress
from joute.studies.play.run_folder import check_goes_on
from joute.studies.study import Study

LOOK = 0.5  # seconds between two looks at the file


class StudyFile:
    """The file of a study: what its run plays, and whether it has changed since.

    `plan`: the study as last taken from the file; `folder`: that of its run.
    """

    def __init__(
        self, study: str, settings: Sequence[str], out: Path | None, progress: Progress
    ) -> None:
        self._path, self._settings, self._say = file_of(study), settings, progress.say
        self._read = self._seen = self._stamp()
        self.plan, self.folder = planned(study, settings, out, progress.say)
        self._last, self._looked = self.plan, time.monotonic()

    def has_changed(self) -> bool:
        """Whether the file now holds another study that the run can take: it is then the `plan`. One that
        cannot be taken is told once, and the plan stays.
        """
        now = time.monotonic()
        if now - self._looked < LOOK:
            return False
        self._looked = now
        seen, self._seen = self._seen, self._stamp()
        if self._seen != seen or self._seen in (self._read, None):  # nobody writes it right now
            return False
        self._read = self._seen
        try:
            plan, _ = planned(self._path, self._settings, self.folder, self._say)
            check_goes_on(plan, self.folder)
        except JouteError as error:
            self._refuse(error)
            return False
        if plan.resolved() == self.plan.resolved():
            return False
        self._last, self.plan = self.plan, plan
        return True

    def wait(self) -> bool:
        """Wait until the file holds another study; return False if Ctrl-C or SIGTERM comes first."""
        told = False
        try:
            while not self.has_changed():
                if not told:
                    self._say(f"waiting for changes of {self._path} (Ctrl-C ends this)")
                    told = True
                time.sleep(LOOK)
        except KeyboardInterrupt:
            return False
        return True

    def turn_back(self, error: Refused) -> None:
        """Take up the plan of before, as its run refused the one of now; raise the error if there is none."""
        if self._last is self.plan:
            raise error
        self._refuse(error)
        self.plan = self._last

    def _refuse(self, error: JouteError) -> None:
        for line in error.lines():
            self._say(line)
        self._say(f"{self._path} is not taken in; change it again")

    def _stamp(self) -> tuple[int, int] | None:
        """Return what differs after the file was written; None while there is none."""
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return stat.st_mtime_ns, stat.st_size


def told_change(before: Study, now: Study) -> str:
    """Return what a changed study brings, in one line."""
    known = {entrant.name for entrant in before.entrants}
    new = [entrant.name for entrant in now.entrants if entrant.name not in known]
    return f"{now.name} has changed" + (f"; new: {', '.join(new)}" if new else "")


def follow(
    file: StudyFile, workers: int | None, cluster: str | None, progress: Progress, fresh: bool
) -> Iterator[Run]:
    """Play the study of a file, and go on with what is changed in it, at once. Yield the run whenever all
    is played, and wait then for a change; end with a run that was stopped.
    """
    while True:
        plan = file.plan
        try:
            run = play(plan, file.folder, workers, cluster, progress, fresh, file.has_changed)
        except Refused as error:
            file.turn_back(error)
            continue
        fresh = False
        stopped = run.outcome is not None and run.outcome.stopped == "interrupted"
        if stopped or file.plan is plan:
            yield run
            if stopped or not file.wait():
                return
        progress.say(told_change(plan, file.plan))
