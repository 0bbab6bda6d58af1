"""The kernel decorator: numba compilation with a disk cache keyed by what the kernel is made of.

A kernel is a plain function over flat arrays. Search templates close over the kernels of a game and
an evaluation, which numba inlines. Numba's own disk cache cannot key such closures reliably, so the
key here is a digest of everything the kernel is built from: its bytecode and constants, and, one
level down after the other, those of the kernels and the values of the tables that it captures. Any
edit of any of them, in whatever file, is a miss; nothing stale is ever run.

With NUMBA_DISABLE_JIT=1 the decorator leaves the function as it is: the same source then runs on
numpy scalars, which is the slow twin of every kernel. Rules that keep both meanings the same:
unsigned words are `U`, literals that meet them are wrapped in `U`, and nothing is called but
kernels, arithmetic and `math.sqrt`.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import hashlib
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from itertools import count
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba import njit, types
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock
from numpy.typing import NDArray

from joute.engines.errors import Refused
from joute.engines.kernels.compile_errors import (
    inner_error,
    kernel_error,
    mixed_error,
    mixed_line,
)
from joute.engines.kernels.compile_time import begin, measured
from joute.engines.kernels.inlined import BodyCache, Quick, add_body, set_up, template_of
from joute.engines.kernels.second_process import by_one, compile_all

U = np.uint64
Words = NDArray[np.uint64]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Kernel = Callable[..., Any]

OPTIONS: Any = {"nogil": True, "error_model": "numpy", "_nrt": False}
WRAPPERS: Any = {"no_cfunc_wrapper": True}  # what only C would call
config: Any = numba.config
JIT = not config.DISABLE_JIT
if not JIT:
    np.seterr(over="ignore")
# At its end Python looks through all that numba has made, for half a second; the system takes it back.
atexit.register(gc.freeze)

FORMAT = 2  # of what is stored

# Named tuples of arrays that a signature may name, each with the types of its fields.
_tuples: dict[str, tuple[type, str]] = {}
_announced = False
hits = 0
misses = 0
announce: Callable[[str], None] | None = None


def kernel(signature: str, inline: bool = True) -> Callable[[Kernel], Kernel]:
    """Compile a function for `signature` (numba's notation), or take it from the disk cache.

    Kernels are inlined into the kernels that call them (worth 1.3x in a search) unless `inline`
    is False: say so for the big ones that only Python calls. They allocate nothing: all arrays are
    the caller's, so reference counting is off (left on, a loop that calls a kernel with arrays
    may count them atomically at every turn, which has cost 3x). A signature may name a type of
    `named_tuple`; Python passes one slowly (8 us a call), so that a kernel it calls takes the fields.
    Joute's own kernels are compiled when they are needed, or by `prepare`; those of plugins at once, so
    that their faults are told before anything is played.
    Returns the compiled function with the attributes `digest`, `signature` and `inline`.
    Raises KernelError for a function that numba refuses, and for one that computes with a signed and
    an unsigned number; TypeError for one that captures something that the digest cannot cover.
    """

    def decorate(function: Kernel) -> Kernel:
        key = f"{digest(function)} {_spelled(signature)} {inline}"
        made: Any = function
        if JIT:
            ours = function.__module__.startswith("joute.")
            quick: Any = {"pipeline_class": Quick} if ours else {}
            made = njit(**OPTIONS, **WRAPPERS, **quick, forceinline=inline)(function)
            made._cache = cache = _DigestCache(function, key)
            if cache.kept() or ours:
                _compile_when_needed(made, function, signature)
            else:
                _compile(made, function, signature)
        made.digest, made.signature, made.inline = key, signature, inline
        return made

    return decorate


def named_tuple(cls: type, fields: str) -> None:
    """Let signatures name a NamedTuple of which the fields have these types, in numba's notation."""
    _tuples[cls.__name__] = cls, fields


def tuples_of(signature: str) -> list[type | None]:
    """Return for each argument of a signature the named tuple that it is, or None."""
    return [_tuples[name][0] if name in _tuples else None for name in arguments_of(signature)]


def arguments_of(signature: str) -> list[str]:
    """Return the types of a signature's arguments."""
    arguments, depth = [""], 0
    for char in reversed(signature.strip()[:-1]):
        depth += (char in ")]") - (char in "([")
        if depth < 0:
            break
        if char == "," and depth == 0:
            arguments.append("")
        else:
            arguments[-1] = char + arguments[-1]
    return [argument.strip() for argument in reversed(arguments) if argument.strip()]


def flat(signature: str) -> str:
    """Return a signature with the fields of a named tuple in its place."""
    return re.sub(r"\w+", lambda m: _tuples[m[0]][1] if m[0] in _tuples else m[0], signature)


def _spelled(signature: str) -> str:
    # The text of which a key is made: all that a named tuple is.
    fields = (f"{t.__name__}: {t._fields}" for t in tuples_of(signature) if t is not None)  # type: ignore[attr-defined]
    return " ".join([flat(signature), *fields])


def _tuple_types(signature: str) -> dict[str, Any]:
    used = {t for t in tuples_of(signature) if t is not None}
    return {
        t.__name__: types.NamedTuple(eval(f"[{_tuples[t.__name__][1]}]", {}, vars(types)), t)
        for t in used
    }


def prepare(*kernels: Any) -> None:
    """Compile kernels that are not on the disk: those that Python is going to call, now that no player's
    time runs. A program that says so to its user does it with two processes.
    """
    cold = [one for one in kernels if hasattr(one, "prepare") and not one._cache.kept()]
    compile_all([*dict.fromkeys(cold)], announce is not None)


def _compile(made: Any, function: Kernel, signature: str) -> None:
    """Compile a kernel, or load it from the disk."""
    with _refusing(made, function, made._cache):
        made.compile(_typed(signature))
    made.disable_compile()


def _typed(signature: str) -> Any:
    return eval(signature, {}, {**vars(types), **_tuple_types(signature)})


@contextlib.contextmanager
def _refusing(made: Any, function: Kernel, cache: _DigestCache) -> Iterator[None]:
    """Raise KernelError for what numba refuses in the meantime, and for what it should refuse."""
    try:
        with measured():
            yield
    except Exception as error:
        raise inner_error(error) or kernel_error(function, error) from error
    for compiled in made.overloads.values():
        if line := mixed_line(compiled):
            cache.forget()  # else it would pass when it comes from the disk
            raise mixed_error(function, line)


def _compile_when_needed(made: Any, function: Kernel, signature: str) -> None:
    """Let a kernel be loaded, or compiled, when Python first calls it, or when another that is compiled
    needs it: most are inlined into others, and never called.

    Private interface of numba 0.68, as below.
    """

    def whole(*arguments: Any) -> Any:
        with global_compiler_lock:  # another thread may need it at the same time
            if "prepare" in made.__dict__:
                made.overloads.clear()  # of its body
                _compile(made, function, signature)
                for name in ("_compile_for_args", "get_call_template", "prepare", "inlinable"):
                    del made.__dict__[name]
        return made  # numba calls it with the arguments, whose types are checked then

    def get_call_template(arguments: Any, named: Any) -> Any:
        if made._cache.kept():
            whole()
            return made.get_call_template(arguments, named)
        inlinable()
        return template_of(made, arguments, named)

    def inlinable() -> None:
        with by_one(made, whole=False):
            if made.overloads:
                return
            cache = _BodyCache(function, f"{made.digest} body")
            with _refusing(made, function, cache):
                add_body(made, _typed(signature), cache)

    def prepare() -> None:
        with by_one(made, whole=True):
            if not made._cache.kept():
                whole()

    made._compile_for_args, made.get_call_template = whole, get_call_template
    made.prepare, made.inlinable = prepare, inlinable


class _DigestCache(FunctionCache):
    """Numba's function cache with a key that stays the same between processes.

    Private interface of numba 0.68, pinned in pyproject.toml and held by tests/engines.
    """

    def __init__(self, function: Kernel, key: str) -> None:
        try:
            super().__init__(function)
        except RuntimeError:
            raise Refused(
                "compiled kernels cannot be stored: neither the folder of their code nor ~/.cache "
                "is writable; set NUMBA_CACHE_DIR to a writable folder"
            ) from None
        self._key = key
        self._name = f"{function.__module__}.{function.__qualname__}"
        # An index of its own for every kernel: processes that save two kernels of one factory at
        # once would otherwise number both files alike, and one would run the other's code.
        # The same holds for kernels that check their bounds, which `joute check` runs.
        mark = " checked" if config.BOUNDSCHECK else ""
        own = hashlib.sha256(f"{key}{mark} {FORMAT}".encode()).hexdigest()[:16]
        self._number = int(own, 16)
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=f"{self._impl.filename_base}-{own}",
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def kept(self) -> bool:
        """Whether there seems to be a file of this kernel; to be loaded it must be of this machine."""
        return os.path.exists(self._cache_file._index_path)

    def forget(self) -> None:
        """Let nothing be kept of this kernel."""
        with contextlib.suppress(OSError):
            os.unlink(self._cache_file._index_path)

    def _index_key(self, sig: Any, codegen: Any) -> tuple[Any, ...]:
        return (sig, codegen.magic_tuple(), self._key, bool(config.BOUNDSCHECK))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        # Numba's own would first set up all that compiling needs: a part of a second of a process
        # that only loads.
        global hits, misses
        loaded = None
        # What was saved names modules: after a move of files it may lead nowhere, which is a miss.
        with self._guard_against_spurious_io_errors(), contextlib.suppress(ImportError):
            loaded = self._load_overload(sig, target_context)
        if loaded is None:
            misses += 1
            self._tell()
            set_up()
            # Numba tells functions of one factory apart by a number that counts from 1 in every process:
            # two that lie on the disk could have one name, and one would be inlined for the other.
            FunctionIdentity._unique_ids = count(self._number)
        else:
            hits += 1
        return loaded

    def _tell(self) -> None:
        global _announced
        if announce is not None and not _announced:
            _announced = True
            time = begin(self._name)
            announce(f"compiling kernels, once for each kind of engine ({time}) ...")


class _BodyCache(_DigestCache):
    """The same for kernels that are only inlined."""

    _impl_class: Any = BodyCache


def digest(function: Any) -> str:
    """Digest of a function's code, constants, and everything of ours that it reaches."""
    h = hashlib.sha256(f"{numba.__version__} {OPTIONS} {sys.version_info[:2]}".encode())
    function = getattr(function, "py_func", function)
    code = function.__code__
    _add_code(h, code)
    cells = function.__closure__ or ()
    captured = dict(zip(code.co_freevars, (c.cell_contents for c in cells), strict=True))
    for name in sorted(set(code.co_names) | set(captured)):
        if name in captured:
            value = captured[name]
        elif name in function.__globals__:
            value = function.__globals__[name]
        else:
            continue  # a builtin or an attribute name
        h.update(f"|{name}=".encode())
        h.update(_value(name, value))
    return h.hexdigest()[:24]


def _add_code(h: Any, code: CodeType) -> None:
    h.update(code.co_code)
    h.update(repr(code.co_names).encode())
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            _add_code(h, constant)
        else:
            h.update(repr(constant).encode())


def _value(name: str, value: Any) -> bytes:
    if hasattr(value, "digest"):
        return str(value.digest).encode()
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}".encode() + value.tobytes()
    if isinstance(value, bool | int | float | str | np.generic):
        return f"{type(value).__name__} {value!r}".encode()
    if isinstance(value, FunctionType):
        return digest(value).encode()
    if isinstance(value, type | ModuleType | BuiltinFunctionType) or value is math:
        return str(value.__name__).encode()
    raise TypeError(
        f"a kernel captures {name!r}, a {type(value).__name__}: not a kernel, table or number"
    )
