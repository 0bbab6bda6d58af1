"""Any game whose rules an outside command keeps."""
