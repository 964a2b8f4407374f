import { readByteList } from "#server/universal/parse-json.ts";

/** Maximum total size of an email's attachments, decoded. */
export const ATTACHMENTS_BYTES_MAX = 20 * 1024 * 1024;

/**
 * Decodes a file's content: base64, or a byte array as languages serialize it to JSON, `[80, 75, …]` or
 * `{"type": "Buffer", "data": [80, 75, …]}`. Null if it is invalid or empty.
 */
export function decodeContent(content: unknown): Buffer | null {
  if (typeof content === "string") return decodeBase64(content);
  const list = isBufferJson(content) ? content.data : content;
  const bytes = Array.isArray(list) ? readByteList(list) : list instanceof Uint8Array ? list : null;
  return bytes?.length ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : null;
}

const isBufferJson = (content: unknown): content is { data: unknown } =>
  typeof content === "object" &&
  content !== null &&
  "data" in content &&
  "type" in content &&
  content.type === "Buffer";

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
