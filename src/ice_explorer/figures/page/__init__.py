"""A page of shapes and texts in CSS pixels, written as SVG or drawn with Matplotlib. Start at `page`."""
