"""`joute watch`: a local page of a run that is playing or done."""
