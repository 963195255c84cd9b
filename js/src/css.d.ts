/** esbuild gathers imported style sheets into one file next to the bundle. */
declare module "*.css";
