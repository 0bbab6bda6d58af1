"""Workers on many machines, on dask: the parent plans and stores, hosts play. Alone imports distributed."""
