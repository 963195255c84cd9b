"""The protocol between kernel and browser: JSON messages with arrays in buffers.

`requests` and `messages` state the protocol and check JSON from outside, `arrays` lays out bytes; `header` and
`replies` fill messages. TypeScript has the same types in `js/src/wire/protocol.ts`. Start at `messages`.
"""
