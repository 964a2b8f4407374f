/**
 * Resolves when somebody wants the appliance to stop: SIGTERM, Ctrl-C, a closed terminal, or the end of
 * the process that started this one. A second Ctrl-C ends this process at once; what it started then
 * ends by itself.
 */
export function stopRequest(): Promise<string> {
  return new Promise((resolve) => {
    let interrupts = 0;
    process.on("SIGINT", () => {
      if (++interrupts > 1) process.exit(130);
      resolve("SIGINT");
    });
    for (const name of ["SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve(name));
    if (process.connected) process.once("disconnect", () => resolve("the launcher ended"));
  });
}
