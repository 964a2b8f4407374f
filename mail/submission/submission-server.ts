import { SMTPServer } from "smtp-server";

/**
 * An SMTPServer that offers AUTH under TLS only (RFC 4954, 4), and does not add a second enhanced status
 * code to a reply that has one (RFC 2034).
 */
export class SubmissionServer extends SMTPServer {
  override connect(...args: Parameters<SMTPServer["connect"]>): void {
    super.connect(...args);
    const connection = [...this.connections].at(-1)!;
    const send = connection.send.bind(connection);
    connection.send = (code, data, context) => {
      if (Array.isArray(data))
        send(code, connection.secure ? data : data.filter((line) => !isAuth(line)), context);
      else send(code, data, data && ENHANCED_CODE.test(data) ? false : context);
    };
  }
}

const isAuth = (line: string) => /^AUTH /.test(line);
const ENHANCED_CODE = /^[245]\.\d{1,3}\.\d{1,3} /;
