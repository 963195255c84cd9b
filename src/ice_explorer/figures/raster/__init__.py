"""raster."""
