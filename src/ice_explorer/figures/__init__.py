"""Static pictures of an explanation: the same lines, numbers and colours as on the screen."""
