/** Maximum total size of an email's attachments, decoded. */
export const ATTACHMENTS_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Decodes a file's content: base64, or a byte array as languages serialize it to JSON, `[80, 75, …]` or
 * `{"type": "Buffer", "data": [80, 75, …]}`. Null if it is invalid or empty.
 */
export function decodeContent(content: unknown): Buffer | null {
  if (typeof content === "string") return decodeBase64(content);
  if (Array.isArray(content)) return decodeBytes(content);
  if (typeof content !== "object" || content === null) return null;
  const isBuffer = "type" in content && content.type === "Buffer" && "data" in content;
  return isBuffer && Array.isArray(content.data) ? decodeBytes(content.data) : null;
}

/**
 * Decodes padded base64 in the standard alphabet (RFC 4648 section 4); line breaks are allowed anywhere.
 * Node's decoder ignores misplaced padding, which shows as a result that is too short.
 */
function decodeBase64(text: string): Buffer | null {
  const base64 = /[\r\n]/.test(text) ? text.replace(/[\r\n]+/g, "") : text;
  if (base64 === "" || base64.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(base64)) return null;
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  const bytes = Buffer.from(base64, "base64");
  return bytes.length === (base64.length / 4) * 3 - padding ? bytes : null;
}

/** A plain loop for speed: there can be millions of bytes. */
function decodeBytes(values: unknown[]): Buffer | null {
  if (values.length === 0) return null;
  const bytes = Buffer.allocUnsafe(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (typeof value !== "number" || (value & 255) !== value) return null;
    bytes[i] = value;
  }
  return bytes;
}
