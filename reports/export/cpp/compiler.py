"""The C++ compiler of this machine, and kernels that it made as functions of Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from joute.engines.errors import cut
from joute.reports.export.cpp.expressions import NAMES, size_text, type_text, variable_text
from joute.reports.export.cpp.kernel_file import FOOT, KernelFile
from joute.reports.export.typed.simplified import Known
from joute.reports.export.typed.types import Type

COMPILERS = ("g++", "clang++")
FLAGS = ("-std=gnu++17", "-O2")
SECONDS = 300.0
LONG = 400  # characters of what a compiler says
CTYPES: dict[str, Any] = {
    "u8": ctypes.c_uint64,
    "i8": ctypes.c_int64,
    "f8": ctypes.c_double,
    "b1": ctypes.c_bool,
}


class CompileError(Exception):
    """A compiler that refuses a file; the message is the first that it says."""


def compiler() -> str:
    """Return the path of the first compiler that is installed; "" if there is none."""
    return next((path for name in COMPILERS if (path := shutil.which(name))), "")


def build(source: Path, target: Path, flags: Sequence[str] = FLAGS, tool: str = "") -> None:
    """Compile a file; raises CompileError."""
    command = [tool or compiler(), *flags, "-o", str(target), str(source)]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise CompileError(f"it takes longer than {SECONDS:g} s") from None
    if run.returncode:
        lines = [line for line in run.stderr.splitlines() if "error" in line] or [run.stderr]
        raise CompileError(cut(lines[0].strip(), LONG))


class Library:
    """Kernels compiled to a library in a folder, called by `call`; `known`: see KernelFile."""

    def __init__(
        self,
        kernels: dict[str, Any],
        folder: Path,
        flags: Sequence[str] = FLAGS,
        tool: str = "",
        known: Known | None = None,
    ) -> None:
        file = KernelFile(known)
        for kernel in kernels.values():
            file.add(kernel)
        self.text = file.text()
        self.functions = {name: file.functions[kernel.digest] for name, kernel in kernels.items()}
        outside = [self._outside(name, kernel, file) for name, kernel in kernels.items()]
        source = folder / "kernels.cpp"
        source.write_text("\n".join([self.text, *outside, FOOT]), "utf-8")
        build(source, folder / "kernels.so", [*flags, "-shared", "-fPIC"], tool)
        self._made = ctypes.CDLL(str(folder / "kernels.so"))

    def _outside(self, name: str, kernel: Any, file: KernelFile) -> str:
        """Return the function that Python calls: a tuple goes to where a first argument points."""
        function = self.functions[name]
        parameters = [f"{type_text(t)} {variable_text(p)}" for p, t in function.parameters.items()]
        lengths = {p: size_text(p) for p in function.parameters if p in function.lengths}
        parameters += [f"i64 {length}" for length in lengths.values()]
        call = file.call(kernel, {p: variable_text(p) for p in function.parameters}, lengths)
        if function.result.kind == "tuple":
            of = type_text(function.result)
            return (
                f'extern "C" void outside_{name}({", ".join([f"{of}* out", *parameters])}) '
                f"{{ *out = {call}; }}"
            )
        result = NAMES[function.result.kind]
        word = "" if result == "void" else "return "
        return f'extern "C" {result} outside_{name}({", ".join(parameters)}) {{ {word}{call}; }}'

    def call(self, name: str, *arguments: Any) -> Any:
        """Call a kernel; named tuples among the arguments are taken apart already."""
        return self.bound(name, *arguments)()

    def bound(self, name: str, *arguments: Any) -> Callable[[], Any]:
        """Return a call of a kernel, ready to be made; its arguments live as long as they do elsewhere."""
        function = self.functions[name]
        types = [*function.parameters.values()]
        given = [passed(a, t) for a, t in zip(arguments, types, strict=True)]
        pairs = zip(function.parameters, arguments, strict=True)
        given += [ctypes.c_int64(len(a)) for p, a in pairs if p in function.lengths]
        made = getattr(self._made, f"outside_{name}")
        result = function.result
        if result.kind != "tuple":
            made.restype = CTYPES.get(result.kind)
            return partial(made, *given)
        fields = [(f"part_{k}", CTYPES[part.kind]) for k, part in enumerate(result.parts)]
        out = type("Out", (ctypes.Structure,), {"_fields_": fields})()
        made.restype = None

        def call() -> tuple[Any, ...]:
            made(ctypes.byref(out), *given)
            return tuple(getattr(out, field) for field, _ in fields)

        return call


def passed(argument: Any, type_: Type) -> Any:
    """Return an argument as C takes it."""
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return CTYPES[type_.kind](argument if type_.kind == "f8" else int(argument))
