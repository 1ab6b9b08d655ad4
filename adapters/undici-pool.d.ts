// The pool's own file carries no types; they are those of the package's root.
declare module "undici/lib/dispatcher/pool.js" {
  import { Pool } from "undici";
  export default Pool;
}
