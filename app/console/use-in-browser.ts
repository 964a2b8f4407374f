import { useSyncExternalStore } from "react";

const never = () => () => {};
const unknown = () => undefined;

/** A value that the server doesn't know: undefined while the page hydrates, so that both render the same. */
export const useInBrowser = <Value>(value: Value): Value | undefined =>
  useSyncExternalStore(never, () => value, unknown);
