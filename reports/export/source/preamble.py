"""What an exported file begins with: the decorator of kernels, conversions, and how objects are made."""

from __future__ import annotations

BRIEF = {"numpy": "np"}  # modules that are imported under a shorter name
GIVEN = {
    *("Table", "int64", "kernel", "made", "numba", "uint64"),
    *("array", "contextlib", "divided", "like", "popcount", "quiet", "zeros"),
}

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

INTS = '''
popcount = getattr(int, "bit_count", None) or (lambda word: bin(word).count("1"))


def zeros(code, length):
    """Return so many zeros: a list, or an array, which takes less room and longer."""
    zero = [0.0 if code == "d" else 0]
    return zero * length if length < 65536 else array.array(code, zero) * length


def like(one, other):
    """Return the numbers of the second as the first holds its own."""
    return list(other) if type(one) is list else array.array(one.typecode, other)


def divided(one, other):
    """Return a quotient; of zero it is what floating point says."""
    try:
        return one / other
    except ZeroDivisionError:
        return math.nan if not one or one != one else math.copysign(math.inf, one) * math.copysign(1, other)
'''

QUIET = '''
@contextlib.contextmanager
def quiet():
    """Python's numbers have nothing to say."""
    yield
'''

MADE = '''
def made(kind, /, **attributes):
    """Return an object of a class with these attributes."""
    thing = object.__new__(kind)
    thing.__dict__.update(attributes)
    return thing
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
'''


def preamble(compiled: bool, plain: bool = False) -> str:
    """Return the text: with numba's compiler where the file finds it, or without; for numpy's numbers
    or, `plain`, for Python's own.
    """
    parts = [INTS, QUIET] if plain else [COMPILED if compiled else PLAIN, COMMON]
    return "\n\n\n".join(part.strip() for part in [*parts, MADE])
