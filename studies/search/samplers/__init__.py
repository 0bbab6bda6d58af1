"""Samplers, one file each; a file is named like its sampler."""
