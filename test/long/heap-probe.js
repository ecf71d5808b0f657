// Loaded before the program with --import: reports over the process channel what its heap holds after a collection.
process.on("message", () => {
  for (let round = 0; round < 4; round++) globalThis.gc();
  process.send(process.memoryUsage().heapUsed);
});
// Listening to the channel must not keep the program alive.
process.channel.unref();
