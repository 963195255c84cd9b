"""Draw many translucent curves as one image, with the same pixels as the browser. Start at `lines`."""
