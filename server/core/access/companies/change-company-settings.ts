import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changeAllowedAddresses } from "./change-allowed-addresses.ts";
import { changeSessionHours } from "./change-session-hours.ts";
import { renameCompany } from "./rename-company.ts";
import { requireSecondFactor } from "./require-second-factor.ts";
import { setGreylisting } from "./set-greylisting.ts";

/** What is to change; what is left out stays. */
export type CompanyChange = {
  name?: string | undefined;
  greylisting?: boolean | undefined;
  allowedAddresses?: string[] | undefined;
  sessionHoursMax?: number | undefined;
  secondFactorRequired?: boolean | undefined;
};

/**
 * Changes settings of the company: all of it or nothing, each with its entry in the audit log.
 *
 * @param email who changes them
 * @throws Refusal `invalid` beginning with the field, `not_allowed`
 */
export async function changeCompanySettings(
  ctx: Context,
  email: string,
  change: CompanyChange,
): Promise<void> {
  const { name, greylisting, allowedAddresses, sessionHoursMax, secondFactorRequired } = change;
  await inTransaction(ctx, async (ctx) => {
    if (name !== undefined) await renameCompany(ctx, name);
    if (greylisting !== undefined) await setGreylisting(ctx, greylisting);
    if (allowedAddresses) await asField(changeAllowedAddresses(ctx, allowedAddresses));
    if (sessionHoursMax !== undefined) await changeSessionHours(ctx, sessionHoursMax);
    if (secondFactorRequired !== undefined)
      await requireSecondFactor(ctx, { isRequired: secondFactorRequired, email });
  });
}

async function asField(work: Promise<unknown>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(error.reason, `allowed_addresses: ${error.message}`);
  });
}
