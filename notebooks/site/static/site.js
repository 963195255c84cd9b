// A frame cannot reach the page around it: an explorer tells its height by a message.
addEventListener("message", ({ data, source }) => {
  if (data?.type !== "ice-explorer:height" || !Number.isFinite(data.height)) return;
  for (const frame of document.querySelectorAll(".ice-live iframe")) {
    if (frame.contentWindow === source) frame.style.height = `${Math.ceil(data.height)}px`;
  }
});
