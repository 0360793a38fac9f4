# Compiles each pattern of a file, one a line, and writes those that Ruby refuses.
File.readlines(ARGV.fetch(0), encoding: 'UTF-8', chomp: true).each do |pattern|
  Regexp.new(pattern)
  # As generated clients write it: a literal.
  eval("/#{pattern.gsub('/', '\\/')}/", binding, __FILE__, __LINE__)
rescue RegexpError, SyntaxError => e
  puts "#{pattern} #{e.message}"
end
