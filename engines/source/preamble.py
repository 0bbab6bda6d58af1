"""What an exported file begins with: the decorator of kernels, conversions, and how objects are made."""

from __future__ import annotations

BRIEF = {"numpy": "np"}  # modules that are imported under a shorter name
GIVEN = ("Table", "int64", "kernel", "made", "numba", "uint64")

COMPILED = '''
if int(np.__version__.partition(".")[0]) < 2:
    raise ImportError("this file needs numpy 2 or later")
try:
    import numba
except ImportError:
    numba = None


def kernel(signature, inline=True):
    """Compile a function with numba, where there is one: hundreds of times faster, same results."""

    def decorate(function):
        global numba
        if numba is None:
            return function
        options = {"nogil": True, "error_model": "numpy", "_nrt": False, "forceinline": inline}
        try:
            return numba.njit(signature, cache="__file__" in globals(), **options)(function)
        except Exception as error:
            print(f"numba {numba.__version__} cannot compile this file: {error}", file=sys.stderr)
            print("playing uncompiled, hundreds of times slower", file=sys.stderr)
            numba = None
            return function

    return decorate
'''

PLAIN = '''
if int(np.__version__.partition(".")[0]) < 2:
    np._set_promotion_state("weak")  # numpy 2's rules, in a process that is the file's alone
numba = None


def kernel(signature, inline=True):
    """Leave a function as it is: this file needs no compiler (nor the time to compile)."""
    return lambda function: function
'''

COMMON = '''
class Table(dict):
    """Small numbers as one of numpy's types, made once: converting costs ten times an addition."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__((number, kind(number)) for number in range(4096))

    def __missing__(self, number):
        return self.kind(number)


uint64, int64 = np.uint64, np.int64
if numba is None:
    uint64, int64 = Table(np.uint64).__getitem__, Table(np.int64).__getitem__


def made(kind, /, **attributes):
    """Return an object of a class with these attributes."""
    thing = object.__new__(kind)
    thing.__dict__.update(attributes)
    return thing
'''


def preamble(compiled: bool) -> str:
    """Return the text: with numba's compiler where the file finds it, or without."""
    return f"{(COMPILED if compiled else PLAIN).strip()}\n\n\n{COMMON.strip()}"
