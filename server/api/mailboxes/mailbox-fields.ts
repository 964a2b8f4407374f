import { z } from "zod";

import { NAME_MAX, NAME_PART_MAX } from "#server/core/mailboxes/mailboxes/mailbox-fields.ts";
import { blankIsMissing } from "#server/http/text-fields.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

export const NewAddress = blankIsMissing(z.string()).meta({ type: "string" });

export const Name = z.string().meta({ maxLength: NAME_MAX });
export const NamePart = z.string().meta({ maxLength: NAME_PART_MAX });

export const QuotaMb = z
  .number()
  .meta({ type: "integer", minimum: QUOTA_MB_MIN, maximum: QUOTA_MB_MAX });
