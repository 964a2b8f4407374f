import { Text } from "@mantine/core";

import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";

/** More would push the confirm button out of view. */
const NAMED_MAX = 8;

/** Lists who will receive the resent email and who is skipped. */
export function ResendSummary({ email: { recipients, attachments } }: { email: EmailDetail }) {
  const skipped = recipients.filter(({ suppression }) => suppression);
  const remaining = recipients.filter(({ suppression }) => !suppression);
  const files = attachments.length === 1 ? "attachment" : `${attachments.length} attachments`;
  return (
    <>
      <Text>
        {remaining.length > 0
          ? `Posthouse will immediately send a new email with the same content${attachments.length > 0 ? ` and ${files}` : ""} to:`
          : "The new email has no recipients."}
      </Text>
      <RecipientAddresses recipients={remaining} />
      {skipped.length > 0 && (
        <>
          <Text mt="sm">
            {skipped.length === 1
              ? "This address is on your suppression list and won’t receive it:"
              : "These addresses are on your suppression list and won’t receive it:"}
          </Text>
          <RecipientAddresses recipients={skipped} />
        </>
      )}
    </>
  );
}

function RecipientAddresses({ recipients }: { recipients: { address: string }[] }) {
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
