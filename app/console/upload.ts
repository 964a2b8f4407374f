/**
 * Like `fetch`, which can't tell how much of a body has been sent.
 *
 * @throws DOMException "TimeoutError"; TypeError when the server cannot be reached
 */
export function upload(
  url: string,
  {
    method,
    headers,
    body,
    timeoutMs,
    onProgress,
  }: {
    method: string;
    headers: Record<string, string>;
    body: string | null;
    timeoutMs: number;
    onProgress: (sent: number) => void;
  },
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.timeout = timeoutMs;
    request.upload.onprogress = ({ lengthComputable, loaded, total }) => {
      if (lengthComputable) onProgress(loaded / total);
    };
    request.onload = () =>
      resolve(
        new Response(request.responseText, {
          status: request.status,
          headers: parseHeaders(request.getAllResponseHeaders()),
        }),
      );
    request.ontimeout = () => reject(new DOMException("The request timed out", "TimeoutError"));
    request.onerror = () => reject(new TypeError("Failed to fetch"));
    request.send(body);
  });
}

const parseHeaders = (text: string) =>
  new Headers(
    text
      .split("\r\n")
      .filter(Boolean)
      .map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );
