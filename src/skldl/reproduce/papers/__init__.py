"""The experiments of each paper: methods, settings, data sets, notes."""
