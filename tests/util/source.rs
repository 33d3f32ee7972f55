//! Reads source files: the paths in them, resolved by their `use` lines, their words, strings and comments.
//!
//! It is not a compiler: it does not see names from a glob or from a macro.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crate::ROOT;

/// A source file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The path from the top of the repository: `referee/table/charge.rs`.
    pub file: String,
    pub text: String,
}

/// A path in a file, such as `crate::table::Answer`, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub path: String,
    pub line: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    Literal(String),
    /// `::`
    Joint,
    Sign(char),
}

/// By file: each text that was split, and its parts.
type Known = Mutex<BTreeMap<String, Vec<(String, Arc<Parts>)>>>;

/// A source file, split into tokens.
#[derive(Debug)]
struct Parts {
    tokens: Vec<(Token, usize)>,
    paths: Vec<Named>,
}

impl Source {
    /// All Rust files below a folder of the repository.
    pub fn all_below(folder: &str) -> Vec<Source> {
        let root = Path::new(ROOT);
        let mut sources = Vec::new();
        let mut folders = vec![root.join(folder)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|ending| ending == "rs") {
                    let file = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                    sources.push(Source { file, text: fs::read_to_string(&path).unwrap() });
                }
            }
        }
        sources.sort_by(|one, other| one.file.cmp(&other.file));
        sources
    }

    /// The file's module in the tree of all crates, `crate::play::collect`.
    pub fn module(&self) -> String {
        let path = self.file.split_once('/').expect("a folder").1.trim_end_matches(".rs");
        let path =
            path.trim_end_matches("/mod").trim_end_matches("/lib").replace('/', "::").replace('-', "_");
        if path == "lib" || path == "main" { "crate".to_owned() } else { format!("crate::{path}") }
    }

    /// The parts of the file outside its tests and comments. Each text is split once, since many checks read
    /// it.
    fn parts(&self) -> Arc<Parts> {
        static KNOWN: Known = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let of_file = known.entry(self.file.clone()).or_default();
        if let Some((_, parts)) = of_file.iter().find(|(text, _)| *text == self.text) {
            return Arc::clone(parts);
        }
        let tokens = without_tests(tokens(&self.text));
        let parts = Arc::new(Parts { paths: self.paths_in(&tokens), tokens });
        of_file.push((self.text.clone(), Arc::clone(&parts)));
        parts
    }

    /// The paths in the file outside its tests and comments, each in full.
    pub fn paths(&self) -> Vec<Named> {
        self.parts().paths.clone()
    }

    fn paths_in(&self, tokens: &[(Token, usize)]) -> Vec<Named> {
        let module = self.module();
        let mut named = Vec::new();
        let mut aliases = BTreeMap::new();
        let mut at = 0;
        while at < tokens.len() {
            let declares = matches!(&tokens[at].0, Token::Word(word) if word == "mod");
            if let (true, Some((Token::Word(child), _))) = (declares, tokens.get(at + 1)) {
                aliases.insert(child.clone(), format!("{module}::{child}"));
                at += 2;
            } else if matches!(&tokens[at].0, Token::Word(word) if word == "use") {
                at += 1;
                let mut leaves = Vec::new();
                use_tree(tokens, &mut at, "", &mut leaves);
                for (path, alias, line) in leaves {
                    let path = resolve(&path, &module, &BTreeMap::new());
                    aliases.insert(alias, path.clone());
                    named.push(Named { path, line });
                }
            } else if let Token::Word(first) = &tokens[at].0 {
                let (mut path, line) = (first.clone(), tokens[at].1);
                at += 1;
                while let (Some((Token::Joint, _)), Some((Token::Word(next), _))) =
                    (tokens.get(at), tokens.get(at + 1))
                {
                    path += "::";
                    path += next;
                    at += 2;
                }
                if path.contains("::") {
                    named.push(Named { path, line });
                }
            } else {
                at += 1;
            }
        }
        // All aliases are known only now: a `use` may be at the end.
        for named in &mut named {
            named.path = resolve(&named.path, &module, &aliases);
            if self.file.starts_with("referee/") {
                named.path = in_one_tree(&named.path, &module);
            }
        }
        named
    }

    /// The words of the code outside tests and comments; that of a macro includes its `!`.
    pub fn words(&self) -> Vec<(String, usize)> {
        let parts = self.parts();
        let words = parts.tokens.iter().enumerate().filter_map(|(index, (token, line))| match token {
            Token::Word(word) => {
                let is_macro = parts.tokens.get(index + 1).is_some_and(|(next, _)| *next == Token::Sign('!'));
                Some((if is_macro { format!("{word}!") } else { word.clone() }, *line))
            }
            _ => None,
        });
        words.collect()
    }

    /// The strings of the code outside tests and comments.
    pub fn strings(&self) -> Vec<(String, usize)> {
        let parts = self.parts();
        let strings = parts.tokens.iter().filter_map(|(token, line)| match token {
            Token::Literal(text) => Some((text.clone(), *line)),
            _ => None,
        });
        strings.collect()
    }

    /// The comments that begin with `//`, including those of tests: each run of lines as one text, with its first line.
    pub fn comments(&self) -> Vec<(String, usize)> {
        let mut runs: Vec<(String, usize)> = Vec::new();
        let (mut before, mut end) = ("", 0);
        for (comment, line) in taken_apart(&self.text).1 {
            let text = comment.trim_start_matches(['/', '!']);
            let kind = &comment[..comment.len() - text.len()];
            let text = text.trim();
            match runs.last_mut() {
                Some((run, _)) if kind == before && line == end + 1 && !text.is_empty() => {
                    run.push(' ');
                    run.push_str(text);
                }
                _ => runs.push((text.to_owned(), line)),
            }
            (before, end) = (kind, line);
        }
        runs
    }
}

/// Returns the place in the tree of all crates of a path in a module: `crate` is the module's own crate, and
/// `referee_record` the module `crate::record` of the tree.
fn in_one_tree(path: &str, module: &str) -> String {
    let mut names = module.split("::");
    let own = names.nth(1).map(|name| format!("crate::{name}"));
    match (path.strip_prefix("crate"), own) {
        (Some(rest), Some(own)) if !is_in(path, &own) => format!("{own}{rest}"),
        _ => path.strip_prefix("referee_").map_or_else(|| path.to_owned(), |rest| format!("crate::{rest}")),
    }
}

/// Tells whether a path is this module or below it.
pub fn is_in(path: &str, module: &str) -> bool {
    path.strip_prefix(module).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

/// Makes a path begin with a crate.
fn resolve(path: &str, module: &str, aliases: &BTreeMap<String, String>) -> String {
    let (first, rest) = path.split_once("::").map_or((path, ""), |(first, rest)| (first, rest));
    let joined = |start: &str| if rest.is_empty() { start.to_owned() } else { format!("{start}::{rest}") };
    match first {
        "self" => joined(module),
        "super" => {
            let parent = module.rsplit_once("::").map_or(module, |(parent, _)| parent);
            if rest.split("::").next() == Some("super") {
                resolve(rest, parent, aliases)
            } else {
                joined(parent)
            }
        }
        _ => aliases.get(first).map_or_else(|| path.to_owned(), |start| joined(start)),
    }
}

/// Reads the tokens after `use` or inside its braces: paths, each with its name in the file.
fn use_tree(
    tokens: &[(Token, usize)],
    at: &mut usize,
    prefix: &str,
    leaves: &mut Vec<(String, String, usize)>,
) {
    let mut path = prefix.to_owned();
    let mut alias = String::new();
    let mut is_group = false;
    while let Some((token, line)) = tokens.get(*at) {
        match token {
            Token::Word(word) if word == "as" => {
                if let Some((Token::Word(name), _)) = tokens.get(*at + 1) {
                    alias.clone_from(name);
                }
                *at += 1;
            }
            Token::Word(word) if word == "self" && !path.is_empty() => {
                alias = path.rsplit("::").next().unwrap_or_default().to_owned();
            }
            Token::Word(word) => {
                path = if path.is_empty() { word.clone() } else { format!("{path}::{word}") };
                alias.clone_from(word);
            }
            Token::Joint => {}
            Token::Sign('*') => path += "::*",
            Token::Sign('{') => {
                is_group = true;
                *at += 1;
                while !matches!(tokens.get(*at), None | Some((Token::Sign('}'), _))) {
                    use_tree(tokens, at, &path, leaves);
                    if matches!(tokens.get(*at), Some((Token::Sign(','), _))) {
                        *at += 1;
                    }
                }
            }
            _ => {
                if !is_group {
                    leaves.push((path, alias, *line));
                }
                return;
            }
        }
        *at += 1;
    }
}

/// Leaves out `#[cfg(test)] mod tests { ... }`.
fn without_tests(tokens: Vec<(Token, usize)>) -> Vec<(Token, usize)> {
    let word = |text: &str| Token::Word(text.to_owned());
    let start = [Token::Sign('('), word("test"), Token::Sign(')'), Token::Sign(']'), word("mod")];
    let mut kept = Vec::new();
    let mut rest = tokens.into_iter().peekable();
    while let Some(token) = rest.next() {
        kept.push(token);
        if kept.len() >= start.len()
            && kept[kept.len() - start.len()..].iter().map(|(token, _)| token).eq(&start)
        {
            kept.pop();
            let mut depth = 0;
            for (token, _) in rest.by_ref() {
                match token {
                    Token::Sign('{') => depth += 1,
                    Token::Sign('}') if depth == 1 => break,
                    Token::Sign('}') => depth -= 1,
                    _ => {}
                }
            }
        }
    }
    kept
}

/// Returns the tokens of a text. Comments are left out.
fn tokens(text: &str) -> Vec<(Token, usize)> {
    taken_apart(text).0
}

/// The comments of a text, each with its line.
type Comments<'a> = Vec<(&'a str, usize)>;

/// Returns the tokens of a text, and its comments that begin with `//`, each with its line.
fn taken_apart(text: &str) -> (Vec<(Token, usize)>, Comments<'_>) {
    let (mut tokens, mut comments) = (Vec::new(), Vec::new());
    let mut rest = text;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let (length, token) = if rest.starts_with("//") {
            let length = rest.find('\n').unwrap_or(rest.len());
            comments.push((&rest[..length], line));
            (length, None)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), None)
        } else if let Some((length, text)) = string(rest) {
            (length, Some(Token::Literal(text)))
        } else if first == '\'' {
            (character(rest), None)
        } else if first.is_alphanumeric() || first == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (end, Some(Token::Word(rest[..end].to_owned())))
        } else if rest.starts_with("::") {
            (2, Some(Token::Joint))
        } else if first.is_whitespace() {
            (first.len_utf8(), None)
        } else {
            (first.len_utf8(), Some(Token::Sign(first)))
        };
        tokens.extend(token.map(|token| (token, line)));
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    (tokens, comments)
}

/// The length of a string literal and its content, if there is one here.
fn string(text: &str) -> Option<(usize, String)> {
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    if let Some(raw) = raw {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if let Some(body) = raw[hashes..].strip_prefix('"') {
            let end = format!("\"{}", "#".repeat(hashes));
            let inside = body.split(&end).next().unwrap_or(body);
            let length = text.len() - body.len() + inside.len() + end.len();
            return Some((length.min(text.len()), inside.to_owned()));
        }
    }
    let body = text.strip_prefix("b\"").or_else(|| text.strip_prefix('"'))?;
    let mut escaped = false;
    let end = body.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    let end = end.unwrap_or(body.len());
    Some(((text.len() - body.len() + end + 1).min(text.len()), body[..end].to_owned()))
}

/// The length of a character literal, or of the sign that begins a lifetime.
fn character(text: &str) -> usize {
    let mut characters = text.char_indices().skip(1);
    match characters.next() {
        Some((_, '\\')) => {
            let end = characters.skip(1).find(|(_, c)| *c == '\'');
            end.map_or(1, |(index, _)| index + 1)
        }
        Some(_) => characters.next().filter(|(_, c)| *c == '\'').map_or(1, |(index, _)| index + 1),
        None => 1,
    }
}
