/** What the sender of a message asked for about its delivery (RFC 3461), for servers that offer DSN. */
export type DsnRequest = {
  /** ENVID, decoded. */
  envelopeId: string | null;
  /** RET: whether a bounce returns the whole message. */
  returnFull: boolean;
  /** NOTIFY and ORCPT by recipient as in RCPT TO. ORCPT is decoded, with its type. */
  recipients: ReadonlyMap<string, { notify: string[] | null; originalRecipient: string | null }>;
};

/** RFC 3461, 4.4 and 4.2: longest values, encoded. */
const ENVID_LENGTH_MAX = 100;
const ORCPT_LENGTH_MAX = 500;

/** The parameters of MAIL FROM, each with a space before it. RET=FULL is what servers do anyway. */
export function mailParameters({ envelopeId, returnFull }: DsnRequest): string {
  const id = envelopeId === null ? null : xtext(envelopeId, ENVID_LENGTH_MAX);
  return (returnFull ? "" : " RET=HDRS") + (id === null ? "" : ` ENVID=${id}`);
}

/** The parameters of RCPT TO, each with a space before it. */
export function rcptParameters({ recipients }: DsnRequest, recipient: string): string {
  const { notify = null, originalRecipient = null } = recipients.get(recipient) ?? {};
  const when = notify && notify.length > 0 ? ` NOTIFY=${notify.join(",").toUpperCase()}` : "";
  const [, type, address] = /^([a-z0-9-]{1,20});(.+)$/i.exec(originalRecipient ?? "") ?? [];
  const original = address === undefined ? null : xtext(address, ORCPT_LENGTH_MAX);
  return when + (original === null ? "" : ` ORCPT=${type};${original}`);
}

/** RFC 3461, 4: printable ASCII, anything else as `+` and hexadecimal digits. Null if it is too long or not ASCII. */
function xtext(text: string, lengthMax: number): string | null {
  if (!/^[\x20-\x7e]+$/.test(text)) return null;
  const encoded = text.replace(
    /[+= ]/g,
    (character) => `+${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return encoded.length <= lengthMax ? encoded : null;
}
