/**
 * Whether an allow-list has the address; null where it cannot be told, as while an entry is being typed.
 * The server decides: this only tells people beforehand.
 */
export async function covers(list: string[], address: string): Promise<boolean | null> {
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
