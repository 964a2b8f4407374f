import { Parser } from "htmlparser2";

/** An element's text and its children by name. */
export class XmlElement {
  text = "";
  readonly #children = new Map<string, XmlElement[]>();

  add(name: string, child: XmlElement): void {
    const same = this.#children.get(name);
    if (same) same.push(child);
    else this.#children.set(name, [child]);
  }

  all(name: string): XmlElement[] {
    return this.#children.get(name) ?? [];
  }

  /** The first element on the path. */
  find(...path: string[]): XmlElement | undefined {
    const [name, ...rest] = path;
    const [first] = name === undefined ? [] : this.all(name);
    return rest.length === 0 ? first : first?.find(...rest);
  }

  /** The trimmed text of the first element on the path; "" if there is none. */
  at(...path: string[]): string {
    return this.find(...path)?.text.trim() ?? "";
  }
}

const DEPTH_MAX = 12;
const ELEMENTS_PER_SECTION_MAX = 500;
const TEXT_LENGTH_MAX = 1_000;

class XmlError extends Error {
  override name = "XmlError";
}

/**
 * Parses XML in a streaming way: passes each child of the root to `onSection` and then discards it. Names are
 * lowercase and without prefix; text is cut at 1,000 characters. Ignores document types: only XML's five predefined
 * entities are decoded.
 *
 * @throws XmlError if the XML is too deep or a section too large; whatever `onSection` throws
 */
export function readSections(
  xml: string,
  onSection: (name: string, section: XmlElement) => void,
): void {
  const open: { name: string; element: XmlElement }[] = [];
  let elements = 0;
  const parser = new Parser(
    {
      onopentagname(tag) {
        if (open.length >= DEPTH_MAX) throw new XmlError("The XML is nested too deeply");
        if (open.length === 1) elements = 0;
        if (++elements > ELEMENTS_PER_SECTION_MAX)
          throw new XmlError("A section of the XML is too large");
        const name = tag.slice(tag.indexOf(":") + 1).toLowerCase();
        open.push({ name, element: new XmlElement() });
      },
      ontext(text) {
        const element = open.at(-1)?.element;
        if (!element || element.text.length >= TEXT_LENGTH_MAX) return;
        element.text = (element.text + text).slice(0, TEXT_LENGTH_MAX);
      },
      onclosetag() {
        const { name, element } = open.pop()!;
        if (open.length === 1) onSection(name, element);
        if (open.length > 1) open.at(-1)!.element.add(name, element);
      },
    },
    { xmlMode: true },
  );
  parser.write(xml);
  parser.end();
}
