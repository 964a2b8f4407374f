type ArfReport = {
  type?: string;
  mailFrom?: string;
  rcptTo?: string;
  /** From the header of the reported email, which is enclosed. */
  returnPath?: string;
  /** The provider's address. */
  from?: string;
};

/** A complaint as mailbox providers send it (RFC 5965). */
export function anArfReport({
  type = "abuse",
  mailFrom,
  rcptTo,
  returnPath,
  from,
}: ArfReport): Buffer {
  return multipart({ reportType: "feedback-report", from }, [
    ["text/plain", ["This is an email abuse report."]],
    [
      "message/feedback-report",
      [
        `Feedback-Type: ${type}`,
        "User-Agent: SomeGenerator/1.0",
        "Version: 1",
        ...(mailFrom ? [`Original-Mail-From: <${mailFrom}>`] : []),
        ...(rcptTo ? [`Original-Rcpt-To: <${rcptTo}>`] : []),
      ],
    ],
    [
      "message/rfc822",
      [
        ...(returnPath ? [`Return-Path: <${returnPath}>`] : []),
        "From: <post@here.test>",
        "Subject: Earn money",
        "",
        "Spam",
      ],
    ],
  ]);
}

type Dsn = { recipient: string; action?: string; status?: string; diagnostic?: string };

/** A bounce as mail servers send it (RFC 3464). */
export function aDsn(
  recipients: Dsn[],
  { deliveredTo = [] }: { deliveredTo?: string[] } = {},
): Buffer {
  const groups = recipients.flatMap(
    ({ recipient, action = "failed", status = "5.1.1", diagnostic = "smtp; 550 User unknown" }) => [
      "",
      `Final-Recipient: rfc822; ${recipient}`,
      `Action: ${action}`,
      `Status: ${status}`,
      "Remote-MTA: dns; mx.there.test",
      `Diagnostic-Code: ${diagnostic}`,
    ],
  );
  return multipart({ reportType: "delivery-status" }, [
    ["text/plain", ["This is the mail system at host mx.there.test."]],
    ["message/delivery-status", ["Reporting-MTA: dns; mx.there.test", ...groups]],
    [
      "text/rfc822-headers",
      [...deliveredTo.map((address) => `Delivered-To: ${address}`), "Subject: Hello"],
    ],
  ]);
}

function multipart(
  { reportType, from = "<>" }: { reportType: string; from?: string },
  parts: [type: string, lines: string[]][],
): Buffer {
  const lines = parts.flatMap(([type, body]) => ["--b", `Content-Type: ${type}`, "", ...body]);
  return Buffer.from(
    [
      `From: ${from}`,
      "Subject: A report",
      "MIME-Version: 1.0",
      `Content-Type: multipart/report; report-type=${reportType}; boundary="b"`,
      "",
      ...lines,
      "--b--",
      "",
    ].join("\r\n"),
  );
}
