import { vi } from "vitest";

/**
 * How long tests wait for something, as on a busy machine everything takes longer. Shorter than a lease (30 s), so that
 * what should happen at once isn't found to happen only when a lease expires.
 */
export const WAIT_TIMEOUT_MS = 25_000;

const { waitFor } = vi;

/** Replaces the one-second default of `vi.waitFor`, for which vitest has no setting. Returns what undoes it. */
export function waitPatiently(): () => void {
  vi.waitFor = (callback, options) =>
    waitFor(
      callback,
      typeof options === "number" ? options : { timeout: WAIT_TIMEOUT_MS, ...options },
    );
  return () => {
    vi.waitFor = waitFor;
  };
}
