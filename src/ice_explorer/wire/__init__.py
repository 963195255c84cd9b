"""The protocol between kernel and browser: JSON messages, binary buffers and checks of JSON from outside.

`messages` states the protocol, `buffers` lays out bytes; `header`, `lines`, `colors` and `rows` fill them. The front
end has the same definitions in `js/src/wire/protocol.ts`. Start at `messages`.
"""
