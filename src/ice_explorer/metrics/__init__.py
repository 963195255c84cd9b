"""Every metric as sums over blocks of curves, for any decay and convention. Start at `ordered`."""
