/** Splits an allow-list at whitespace, commas and semicolons. */
export const parseAllowList = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

/**
 * Whether an allow-list includes the address, or null if an entry is invalid, for example while it is being
 * typed. Only for a hint: the server enforces the list.
 */
export async function includesAddress(list: string[], address: string): Promise<boolean | null> {
  const { default: ipaddr } = await import("ipaddr.js");
  try {
    const caller = ipaddr.process(address);
    return list
      .map((entry) => {
        if (!entry.includes("/")) return ipaddr.process(entry).toString() === caller.toString();
        const [network, bits] = ipaddr.parseCIDR(entry);
        return network.kind() === caller.kind() && caller.match(network, bits);
      })
      .some(Boolean);
  } catch {
    return null;
  }
}
