"""Where the one package `joute` lies: its rooms are the folders at the top of the repository."""

from setuptools import find_namespace_packages, find_packages, setup

ROOMS = ("commands", "engines", "harness", "reports", "results", "studies")
inside = [name for name in find_packages() if name.partition(".")[0] in ROOMS]
examples = [name for name in find_namespace_packages() if name.partition(".")[0] == "examples"]
examples = [name for name in examples if "__pycache__" not in name]

setup(
    packages=["joute", *(f"joute.{name}" for name in [*inside, *examples])],
    package_dir={"joute": "joute", **{f"joute.{room}": room for room in (*ROOMS, "examples")}},
)
