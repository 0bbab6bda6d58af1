"""A kernel as the body that others inline: optimised, but without machine code and wrappers of its own.

That is half of the work of compiling it, and all that most kernels are ever needed for. The code that
is inlined is the same in either case.

Private interface of numba 0.68, pinned in pyproject.toml and held by tests/engines.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from llvmlite import binding
from numba.core.caching import CompileResultCacheImpl
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler, Flags, compile_extra, compile_result
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import PassManager
from numba.core.typing.templates import make_concrete_template

IDLE = {
    "WithLift",
    "InlineClosureLikes",
    "RewriteDynamicRaises",
    "MakeFunctionToJitFunction",
    "InlineInlinables",
    "FindLiterallyCalls",
    "LiteralUnroll",
    "LiteralPropagationSubPipelinePass",
    "InlineOverloads",
    "DumpParforDiagnostics",
    "NopythonRewrites",
}


class Quick(Compiler):
    """Numba's compiler without the passes that never find anything in a kernel of ours: those for closures,
    lists, `with`, loops in parallel and arithmetic on whole arrays.
    """

    def define_pipelines(self) -> list[PassManager]:
        """Return the passes."""
        passes: PassManager = super().define_pipelines()[0]
        quick = PassManager("quick")
        quick.passes = [one for one in passes.passes if one[0].__name__ not in IDLE]
        quick.finalize()
        return [quick]


class BodyLibrary(JITCodeLibrary):
    """The code of a body."""

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class BodyCache(CompileResultCacheImpl):
    """What is stored of a body."""

    def reduce(self, body: Any) -> tuple[Any, ...]:
        """Return what can be pickled."""
        body.fndesc.typemap = body.fndesc.calltypes = None
        return body.library.serialize_using_bitcode(), body.fndesc, body.signature

    def rebuild(self, target: Any, stored: tuple[Any, ...]) -> Any:
        """Return the body of what was stored."""
        (name, _, bitcode), fndesc, signature = stored
        library = BodyLibrary(target.codegen(), name)
        library._final_module = binding.parse_bitcode(bitcode)
        library._finalized = True
        return compile_result(
            library=library, fndesc=fndesc, signature=signature, target_context=target
        )


@cache
def set_up() -> None:
    """Load what numba compiles with, but for scipy's linear algebra: numba loads that only to see whether
    it is there, which takes as long as the rest.
    """
    from numba.np import linalg

    asked, linalg.ensure_blas = linalg.ensure_blas, lambda: None
    import_module("numba.np.arraymath")
    linalg.ensure_blas = asked


def add_body(dispatcher: Any, signature: Any, store: Any) -> Any:
    """Let a kernel be inlined: load its body, or compile it. Python cannot call it for that."""
    target = dispatcher.targetctx
    body = store.load_overload(signature, target)
    if body is None:
        with global_compiler_lock:
            body = compiled(dispatcher, signature)
        store.save_overload(signature, body)
    body = body._replace(entry_point=object())  # by which numba finds it
    target.insert_user_function(body.entry_point, body.fndesc, [body.library])
    dispatcher.overloads[tuple(signature.args)] = body
    return body


def compiled(dispatcher: Any, signature: Any) -> Any:
    """Compile the body of a kernel."""
    dispatcher._compilation_chain_init_hook()
    flags: Any = Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_compile = True
    function, target = dispatcher.py_func, dispatcher.targetctx
    library = BodyLibrary(target.codegen(), function.__qualname__)
    body = compile_extra(
        *(dispatcher.typingctx, target, function, signature.args, signature.return_type, flags, {}),
        library=library,
        pipeline_class=dispatcher._compiler.pipeline_class,
    )
    library.finalize()
    return body


def template_of(dispatcher: Any, arguments: Any, named: Any) -> tuple[Any, ...]:
    """Return what numba asks of a kernel that another calls (`Dispatcher.get_call_template`)."""
    pysig, arguments = dispatcher._compiler.fold_argument_types(arguments, named)
    name = dispatcher.py_func.__name__
    template = make_concrete_template(name, name, dispatcher.nopython_signatures)
    return template, pysig, arguments, {}
