// esbuild makes a style sheet of those that scripts import.
declare module '*.css'
