import type { Company } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { readOneLine } from "#server/core/shared/one-line.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { changeCompany } from "./change-company.ts";

type Invoice = NonNullable<Company["overdueInvoice"]>;

const NUMBER_MAX = 80;
const URL_MAX = 1_000;

/**
 * Marks an invoice of the company as overdue: API calls then fail with `account_suspended`, naming the invoice and
 * the payment page. Null marks it as paid.
 *
 * @throws Refusal `invalid` for the number, or a payment URL that isn't https
 */
export async function setOverdueInvoice(ctx: Context, invoice: Invoice | null): Promise<void> {
  const read = invoice && readInvoice(invoice);
  await changeCompany(ctx, ({ overdueInvoice: before }) => {
    if (read === null)
      return (
        before && {
          set: { overdueInvoice: null },
          action: "company.invoice_paid",
          details: { number: before.number },
        }
      );
    if (before?.number === read.number && before.paymentUrl === read.paymentUrl) return null;
    return { set: { overdueInvoice: read }, action: "company.invoice_overdue", details: read };
  });
}

function readInvoice({ number, paymentUrl }: Invoice): Invoice {
  const line = readOneLine(number, "number", { max: NUMBER_MAX });
  const url = URL.parse(paymentUrl.trim());
  // Reject URLs whose visible text misleads about their target.
  if (url?.protocol !== "https:" || url.username !== "" || url.password !== "")
    throw new Refusal("invalid", "payment_url: must be an https URL");
  if (url.href.length > URL_MAX)
    throw new Refusal("invalid", `payment_url: must have at most ${URL_MAX} characters`);
  return { number: line, paymentUrl: url.href };
}
