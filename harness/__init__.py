"""How engines meet: openings, schedules of blocks, one match loop, and the runner over workers."""

if __name__ != "joute.harness":
    raise ImportError("this folder is joute.harness; no module of another name")
