import { curlOf } from "#app/console/(pages)/emails/curl.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { CopyTextButton } from "#app/console/ui/copy-button.tsx";

/** The call that would send this email again; gone with its content, three days after sending. */
export function CopyAsCurl({ email }: { email: EmailDetail }) {
  if (!email.content) return null;
  return (
    <CopyTextButton value={curlOf(window.location.origin, requestOf(email, email.content))}>
      Copy as curl
    </CopyTextButton>
  );
}

type Content = NonNullable<EmailDetail["content"]>;

function requestOf(email: EmailDetail, { html, text, headers }: Content): Record<string, unknown> {
  const { from, to, cc, bcc, reply_to, subject, tags } = email;
  return {
    from,
    to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    ...(reply_to.length > 0 && { reply_to }),
    subject,
    ...(html !== null && { html }),
    ...(text !== null && { text }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(tags.length > 0 && { tags }),
  };
}
