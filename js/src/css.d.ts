/** esbuild gathers imported style sheets into one file beside the bundle. */
declare module "*.css";
