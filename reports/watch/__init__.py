"""`joute watch`: a local page of a running or finished run."""
