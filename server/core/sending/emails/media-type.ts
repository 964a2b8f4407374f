/** A media type with parameters, such as `text/calendar; method=REQUEST`. */
export type MediaType = {
  /** `type/subtype`, lowercase. */
  name: string;
  /** As written, including quotes. */
  parameters: { name: string; value: string }[];
};

/** restricted-name of RFC 6838 section 4.2. */
const RESTRICTED_NAME = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}";
/** token of RFC 2045 section 5.1, without the characters special to RFC 2231. */
const ATTRIBUTE = "[a-z0-9!#$&+.^_`{|}~-]+";
const VALUE = `(?:[a-z0-9!#$%&'*+.^_\`{|}~-]+|"(?:[\\x20-\\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\x20-\\x7e])*")`;
const PARAMETER = `[ \\t]*;[ \\t]*(${ATTRIBUTE})=(${VALUE})`;

const MEDIA_TYPE = new RegExp(
  `^(${RESTRICTED_NAME}/${RESTRICTED_NAME})((?:${PARAMETER})*)[ \\t]*;?$`,
  "i",
);
const PARAMETERS = new RegExp(PARAMETER, "gi");

/** Parses a Content-Type value (RFC 2045 section 5.1); null if invalid. The result is printable ASCII. */
export function parseMediaType(text: string): MediaType | null {
  const [, name, parameters] = MEDIA_TYPE.exec(text.trim()) ?? [];
  if (name === undefined || parameters === undefined) return null;
  return {
    name: name.toLowerCase(),
    parameters: [...parameters.matchAll(PARAMETERS)].map(([, attribute, value]) => ({
      name: attribute!,
      value: value!,
    })),
  };
}
