"""The protocol between kernel and browser: JSON messages with arrays in buffers, and checks of JSON from outside.

`requests` and `messages` state the protocol, `arrays` lays out bytes; `header`, `curves` and `rows` fill the bodies
of `replies`. TypeScript has the same types in `js/src/wire/protocol.ts`. Start at `messages`.
"""
