const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** The contents of all elements with this name, in order. Route 53's answers don't nest an element in itself. */
export const elements = (xml: string, name: string): string[] =>
  [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map((match) => match[1]!);

/** The text of the first element with this name; empty if there is none. */
export const element = (xml: string, name: string): string =>
  (elements(xml, name)[0] ?? "").replace(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (all, hex?: string, decimal?: string, named?: string) => {
      if (named) return ENTITIES[named] ?? all;
      return String.fromCodePoint(Number.parseInt(hex ?? decimal!, hex ? 16 : 10));
    },
  );
