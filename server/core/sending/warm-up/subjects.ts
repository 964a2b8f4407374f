import type { Settings } from "#server/core/platform/settings/settings.ts";

export type WarmUpSubjects = {
  /** Whether the server may have a warm-up. */
  hasServer: boolean;
  /** Domains with a warm-up of their own. */
  domains: ReadonlySet<string>;
};

/** What can have a warm-up by the settings. Nothing in local mode. */
export function warmUpSubjects(
  { warm_up: server, warm_up_domains: domains }: Pick<Settings, "warm_up" | "warm_up_domains">,
  { localMode }: { localMode: boolean },
): WarmUpSubjects {
  if (localMode) return { hasServer: false, domains: new Set() };
  return {
    hasServer: server !== "off",
    domains: new Set(domains === "none" ? [] : domains.split(",")),
  };
}
