"""Explanations of rows that are on a cluster: partitions are summed where they are, and the sums are merged.

One pass finds what all rows hold: grids, scales and a sample of the rows. Another explains each partition on these
grids. The explanation has the sample as its rows, and the sums of all rows as its metrics.
"""
