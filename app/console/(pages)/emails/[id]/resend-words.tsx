import { Text } from "@mantine/core";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";

/** More would push the button out of sight. */
const NAMED_MAX = 8;

/** To whom an email goes again, and who is left out. */
export function ResendWords({ email: { recipients, attachments } }: { email: EmailDetail }) {
  const skipped = recipients.filter(({ suppression }) => suppression);
  const remaining = recipients.filter(({ suppression }) => !suppression);
  const files = attachments.length === 1 ? "its file" : `its ${attachments.length} files`;
  return (
    <>
      <Text>
        A new email with the same content
        {attachments.length > 0 && ` and ${files}`} goes out at once
        {remaining.length > 0 ? " to:" : ", to nobody."}
      </Text>
      <Addresses recipients={remaining} />
      {skipped.length > 0 && (
        <>
          <Text mt="sm">
            {skipped.length === 1
              ? "This one is on your suppression list and will not get it:"
              : "These are on your suppression list and will not get it:"}
          </Text>
          <Addresses recipients={skipped} />
        </>
      )}
    </>
  );
}

function Addresses({ recipients }: { recipients: { address: string }[] }) {
  if (recipients.length === 0) return null;
  const more = recipients.length - NAMED_MAX;
  return (
    <ul>
      {recipients.slice(0, NAMED_MAX).map(({ address }) => (
        <li key={address}>{address}</li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
