import type { OutboundSource } from "#server/config.ts";

/** The setting `outbound_names` as pairs of a sending domain or a company's id, and a name. */
export const readOutboundNames = (text: string): [sender: string, name: string][] =>
  text === "none"
    ? []
    : text.split(",").map((pair) => {
        const [sender = "", name = ""] = pair.split("=");
        return [sender, name];
      });

/** Names in the setting that no address has. Their mail is sent from the first address. */
export function unknownOutboundNames(
  text: string,
  sources: Pick<OutboundSource, "name">[],
): string[] {
  const known = new Set(sources.map(({ name }) => name));
  const names = readOutboundNames(text).map(([, name]) => name);
  return [...new Set(names)].filter((name) => !known.has(name));
}
