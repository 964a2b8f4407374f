import Link from "next/link";

import classes from "./page-error.module.css";
import { AuthLayout } from "./ui/wordmark.tsx";

/** Not in the file of `PageError`, which every page loads and which must not load Next's link. */
export function PageNotFound({ home, label }: { home: string; label: string }) {
  return (
    <AuthLayout>
      <div className={classes.words}>
        <h1>Page not found</h1>
        <p>Check the URL.</p>
        <div className={classes.actions}>
          <Link href={home}>{label}</Link>
        </div>
      </div>
    </AuthLayout>
  );
}
