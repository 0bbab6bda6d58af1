"""`joute export --to header`: constants that compilers take, for every engine."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from joute.reports.export.constants import Names
from joute.reports.export.export import ExportRequest, export, plain, told_of
from joute.results.tables import load
from tests.support.exports import refusal
from tests.support.runs import ROOT, here

TRON = "tron/uct:evaluation=zones,k=0.25,chambers=on,iterations=5000000000,ending=fill"
OWN = (
    'tron/process:command="cat {k} {K} {n2} {class} {NULL} {maxWidth} {x_} {name} {max_width}",'
    'k=0.5,K=3,n2=5,class=-7,NULL=1,maxWidth=99999999999,x_=2,name="a \\"q\\" \\\\u0041 ?? é €",'
    "max_width=1e-07"
)


@pytest.fixture(autouse=True)
def aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)


def compiled(*words: str) -> str:
    """Run a compiler or a program, which has nothing to say against it; return what it prints."""
    if shutil.which(words[0]) is None:
        pytest.skip(f"{words[0]} is not here")
    if (
        words[0] == "rustc"
        and subprocess.run(["rustc", "--version"], capture_output=True).returncode
    ):
        pytest.skip("rustc is not set up")  # it is rustup's, and no toolchain is installed
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


C_PROGRAM = """#include <stdio.h>
#include "tuned.h"
int main(void) {
    char room[FILL_RESTARTS];
    printf("%g %d %d %lld %d %s", K, CHAMBERS == CHAMBERS_ON, REUSE, ITERATIONS, (int)sizeof room,
           PARITY ? "on" : "off");
    return 0;
}
"""


@pytest.mark.parametrize(("compiler", "ending"), [("gcc", "c"), ("g++", "cpp")])
def test_c_takes_the_constants(compiler: str, ending: str) -> None:
    assert here("export", "--engine", TRON, "--to", "header", "-o", "tuned.h").exit_code == 0
    Path(f"main.{ending}").write_text(C_PROGRAM)
    standard = {"c": "c99", "cpp": "c++11"}[ending]
    compiled(
        *(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Werror", "-pedantic"),
        *(f"main.{ending}", "-o", "main"),
    )
    assert compiled("./main") == "0.25 1 1 5000000000 4 off"


def test_a_header_lies_in_a_namespace_as_its_use_says() -> None:
    """So that no name of it clashes with one of the program's own."""
    done = here("export", "--engine", TRON, "--to", "header", "-o", "tuned.h")
    include = done.stdout.partition("of its own (C++):\n")[2]
    assert include == 'namespace tuned {\n#include "tuned.h"\n}\n'
    Path("main.cpp").write_text(
        f"#include <cstdio>\n{include}const int REUSE = 7;\n"
        'int main() { std::printf("%d %d", REUSE, tuned::REUSE); }\n'
    )
    compiled("g++", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main")
    assert compiled("./main") == "7 1"
    assert (
        "namespace" not in here("export", "--engine", TRON, "--to", "header", "-o", "t.rs").stdout
    )


PRINTED = "0.5 3 5 -7 1 99999999999 2 1e-07"
TEXT = 'a "q" \\u0041 ?? é €'


@pytest.mark.parametrize(("compiler", "ending"), [("gcc", "c"), ("g++", "cpp")])
def test_c_takes_a_programs_own_parameters(compiler: str, ending: str) -> None:
    """Names that are keywords, macros, or the same in capitals; large numbers; odd texts."""
    export(ExportRequest("header", engine=OWN, path=Path("own.h")))
    Path(f"main.{ending}").write_text(
        '#include <math.h>\n#include <stdio.h>\n#include "own.h"\nint main(void) {\n'
        '    printf("%g %g %g %g %g %.0f %g %g\\n%s", K, K_2, N2, CLASS, NULL_2, MAX_WIDTH, X,\n'
        "           MAX_WIDTH_2, NAME);\n    return 0;\n}\n"
    )
    compiled(compiler, "-Wall", "-Wextra", "-Werror", f"main.{ending}", "-o", "main")
    assert compiled("./main") == f"{PRINTED}\n{TEXT}"


def test_rust_takes_them() -> None:
    for name, text in (("tuned", TRON), ("own", OWN)):
        export(ExportRequest("header", engine=text, path=Path(f"{name}.rs")))
        written = Path(f"{name}.rs").read_text()
        lines = [line for line in written.splitlines() if line and not line.startswith("//")]
        typed = r'pub const [A-Z][A-Z0-9_]*: (f64|i32|i64|&str) = ([-\w.]+|"([^"\\]|\\u\{\w+\})*");'
        assert lines and all(re.fullmatch(typed, line) for line in lines), lines
    Path("main.rs").write_text(
        "#[allow(dead_code)]\nmod own;\n#[allow(dead_code)]\nmod tuned;\nfn main() {\n"
        '    println!("{} {} {} {}", own::K, own::MAX_WIDTH, tuned::ITERATIONS, own::NAME);\n'
        "    assert!(tuned::CHAMBERS == tuned::CHAMBERS_ON);\n}\n"
    )
    compiled("rustc", "-D", "warnings", "main.rs")
    assert compiled("./main") == f"0.5 99999999999 5000000000 {TEXT}\n"


def test_java_takes_them() -> None:
    for name, text in (("Tuned", TRON), ("Own", OWN), ("new-names", TRON)):
        export(ExportRequest("header", engine=text, path=Path(f"{name}.java")))
    assert "final class JouteNewNames {" in Path("new-names.java").read_text()
    Path("Main.java").write_text(
        "public class Main {\n    public static void main(String[] words) {\n"
        '        String text = "a \\042q\\042 \\134u0041 ?? \\u00e9 \\u20ac";\n'
        '        System.out.println(Own.K + " " + Own.MAX_WIDTH + " " + Tuned.ITERATIONS + " "\n'
        "            + Own.NAME.equals(text) + (Tuned.CHAMBERS == Tuned.CHAMBERS_ON));\n    }\n}\n"
    )
    compiled("javac", "-Werror", "Main.java", "Tuned.java", "Own.java", "new-names.java")
    assert compiled("java", "-cp", ".", "Main") == "0.5 9.9999999999E10 5000000000 truetrue\n"


def test_python_takes_them() -> None:
    for text in (TRON, OWN):
        export(ExportRequest("header", engine=text, path=Path("own.py")))
        space: dict[str, object] = {}
        exec(Path("own.py").read_text(), space)
        assert ast.parse(Path("own.py").read_text())
        Path("own.py").unlink()
    assert space["NAME"] == TEXT and space["K"] == 0.5 and space["K_2"] == 3
    assert sys.version_info >= (3, 11)


def test_a_runs_winner_brings_its_provenance(run: Path) -> None:
    done = here("export", run, "--to", "header")
    assert done.exit_code == 0 and "s_winner.h" in done.stdout, done.stderr
    text = Path("s_winner.h").read_text()
    told = " ".join(line.removeprefix("// ") for line in text.splitlines())
    assert "Study: s (tournament, seed 5), entrant e1" in told and "16 games in 8 blocks" in told
    assert "Score: " in told and "(95 %: " in told and "alphabeta:evaluation=lines" in told
    assert "static const double WIDTH = 0.6;" in text and "enum { DEPTH = 3 };" in text


DECLARED = f"""
name = "own"
kind = "tournament"
game = "connect4[columns=4,rows=4]"
seed = 1
[engine]
search = "process"
command = "{sys.executable} -S {ROOT}/examples/json_lines/bot.py --first {{center}}"
env = "DEPTH={{depth}} FREE={{free}}"
free = 1
[parameters]
center = {{ kind = "float", default = 1.0 }}
depth = {{ kind = "int", default = 3 }}
[grid]
center = [1.0, 3.0]
[schedule]
blocks = 1
"""


def test_the_declared_kind_decides(tmp_path: Path) -> None:
    """A float is a float where its value is whole: in C++, K / 2 of 1 is a half."""
    Path("own.toml").write_text(DECLARED)
    assert here("run", "own.toml", "--out", "run", "--no-report").exit_code == 0
    for target, file in (
        ("header", "k.h"),
        ("header", "k.py"),
        ("json", "k.json"),
        ("toml", "k.toml"),
    ):
        assert here("export", "run", "--to", target, "-o", file, "--anyway").exit_code == 0
    center = json.loads((tmp_path / "run" / "winner.json").read_text())["parameters"]["center"]
    assert isinstance(center, float)
    assert {f"CENTER = {center}", "DEPTH = 3"} < {*Path("k.py").read_text().splitlines()}
    assert f'"center": {center},' in Path("k.json").read_text()
    assert {f"center = {center}", "depth = 3"} < {*Path("k.toml").read_text().splitlines()}
    assert "no study declares whether it is whole" in Path("k.h").read_text()
    Path("main.cpp").write_text(
        '#include <cstdio>\n#include "k.h"\nint main() {\n'
        '    std::printf("%g %d %g", CENTER / 2, DEPTH / 2, FREE / 2);\n}\n'
    )
    compiled("g++", "-Wall", "-Wextra", "-Werror", "main.cpp", "-o", "main")
    assert compiled("./main") == f"{center / 2} 1 0.5"


def test_names() -> None:
    names = Names()
    wishes = ["maxNodes", "max_nodes", "2nd", "a-b", "é", "_x", "NULL", "a__b", "HTTPPort"]
    found = ["MAX_NODES", "MAX_NODES_2", "P_2ND", "A_B", "P", "X", "NULL_2", "A_B_2", "HTTPPORT"]
    assert [names.new(wish) for wish in wishes] == found


def test_what_is_refused() -> None:
    assert refusal("--engine", TRON, "--to", "header", "-o", "bot.go") == (
        "bot.go: --to header chooses the language by the file's ending; allowed: .h, .hh, .hpp, .hxx, .inc, "
        ".rs, .java, .py"
    )
    said = refusal("--engine", 'tron/process:command="cat"', "--to", "header")
    assert said.endswith("has no parameters of its own: there is nothing to write")


def test_a_constant_says_its_meaning_its_default_and_its_range(tmp_path: Path) -> None:
    text = f"""
        name = "own"
        kind = "scan"
        game = "connect4[columns=4,rows=4]"
        seed = 1
        budget = "40 games"
        [engine]
        search = "process"
        command = "{sys.executable} -S {ROOT}/examples/json_lines/bot.py --first {{center}}"
        [parameters]
        center = {{ kind = "float", default = 1.0, meaning = "how bold" }}
        [space]
        center = {{ from = 0, to = 4 }}
        [[opponents]]
        spec = "random"
        """
    Path("own.toml").write_text(text)
    done = here("run", "own.toml", "--out", "run", "--no-report")
    assert done.exit_code == 0, done.stderr
    done = here("export", "run", "--to", "header", "--anyway")
    assert done.exit_code == 0, done.stderr
    assert "// how bold; default 1, searched 0 to 4\n" in Path("own_winner.h").read_text()
    assert told_of(load(Path("run")))[2] == ("center",)
    # a match like the run knows what it declares, and its file has the winner's name
    one, two = "#3", "default"
    assert {one, two} <= {*load(Path("run")).engines["name"]}
    done = here("match", one, two, "--like", "run", "--blocks", 2, "--no-report")
    assert done.exit_code == 0, done.stderr
    [match] = Path("runs").iterdir()
    done = here("export", match, "--to", "header", "--anyway")
    assert done.exit_code == 0, done.stderr
    [file] = {*Path().glob("*_winner.h")} - {Path("own_winner.h")}
    assert file.name in {f"{plain(str(name))}_winner.h" for name in (one, two)}
    text = file.read_text()
    assert "// how bold; searched 0 to 4; default 1\n" in text and "no study declares" not in text
