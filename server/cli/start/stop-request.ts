/**
 * Resolves when the appliance is asked to stop: by SIGTERM, Ctrl-C, a closed terminal, or the end of the
 * process that started this one. A second Ctrl-C ends this process at once; its children then exit
 * because their supervisor is gone.
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
