"""The protocol of UTC's course IA02: three functions of a Python file, and a server over HTTP."""
